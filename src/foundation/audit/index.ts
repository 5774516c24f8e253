export type { AuditActor, AuditEntry, AuditRecord } from './contract.ts';
export { auditScope, COMMAND_LINE_ACTOR, SYSTEM_ACTOR } from './contract.ts';
export { type Creator, creatorColumn, creatorOf } from './creator.ts';
export { appendAuditRecord, type BrokenChain, brokenChains } from './hash-chain.ts';
export { type AuditView, auditPageEnd, readAuditLog, readAuditPage } from './read-audit-log.ts';
