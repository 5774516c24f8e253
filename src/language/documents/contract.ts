/** What programs share that read documents in processes of their own. */
export { answer } from './answering.ts';
export { type Block, type Format, type Parsed, Unreadable } from './blocks.ts';
export { parse } from './parse.ts';
