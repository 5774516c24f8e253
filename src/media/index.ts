export * as omni from './omni/index.ts';
