export { type AfterCallOptions, afterCall } from './after-call.ts';
export * from './contract.ts';
