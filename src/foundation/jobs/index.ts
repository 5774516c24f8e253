export {
  type DeadJob,
  JOB_PRIORITY,
  type JobDefinition,
  type JobSnapshot,
  type JobToEnqueue,
  LeaseLostError,
  PermanentError,
  type RunningJob,
  StopError,
  type StopReason,
  type Trx,
} from './contract.ts';
export { type DeadJobPage, JobQueue } from './queue.ts';
export { QueueWorker } from './queue-worker.ts';
export { queueFor, sandboxQueueOf } from './sandbox-queue.ts';
export type { JobWorker, JobWorkerOptions } from './worker.ts';
