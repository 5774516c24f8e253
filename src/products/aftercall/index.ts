/** What is made of a call once it is over: its summary, and what its agent's schema asks for. */
export { type AfterCallOptions, afterCall } from './after-call.ts';
export * from './contract.ts';
