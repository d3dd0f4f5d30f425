import fc from 'fast-check'

/**
 * Every run tries the same inputs; another seed, others: HOOKPROOF_SEED=7 npx vitest run
 * test/property
 */
fc.configureGlobal({ seed: Number(process.env.HOOKPROOF_SEED ?? 20261130) })
