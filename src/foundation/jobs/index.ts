export {
  type DeadJob,
  type JobDefinition,
  type JobView,
  LeaseLostError,
  type NewJob,
  PermanentError,
  PRIORITY,
  type RunningJob,
  StopError,
  type StopReason,
  type Trx,
} from './contract.ts';
export { type DeadPage, JobQueue } from './queue.ts';
export { queueFor, trialQueueOf } from './trial-queue.ts';
export type { Worker, WorkerOptions } from './worker.ts';
