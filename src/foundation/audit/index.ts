export { type BrokenChain, brokenChains, record } from './chain.ts';
export type { AuditEntry, Deed, Doer } from './contract.ts';
export { COMMAND_LINE, SYSTEM } from './contract.ts';
export { type AuditView, endOf, readAll, readPage } from './reading.ts';
