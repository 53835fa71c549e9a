/** `@toolquake/sdk`: the vocabulary, the decider and the performer. Pure and free of Node built-ins. */
export * from './core/index.js';
