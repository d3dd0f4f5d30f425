// Global, so that the usage files are the same text as an ES module and as CommonJS.

/** Whether two types are the same one; `any` equals nothing but `any`. */
declare type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

declare type IsAny<T> = 0 extends 1 & T ? true : false

/** Compiles only when its type argument is `true`. */
declare function check<Claim extends true>(): void

/** A value of a type, for the compiler alone. */
declare function some<T>(): T
