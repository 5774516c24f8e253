export * as hear from './hear/index.ts';
export * as omni from './omni/index.ts';
