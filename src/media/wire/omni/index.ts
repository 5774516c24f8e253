export * from './frames.ts';
export * from './messages.ts';
