// Loaded first: from here on this Node is like an edge runtime, where the function is there and throws.
process.getBuiltinModule = () => {
  throw new Error('getBuiltinModule is not supported here')
}
