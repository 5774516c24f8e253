import { ApiError, type ErrorCode } from '../../foundation/platform/errors.ts';
import { addon } from './addon.ts';

/** native/base/status.h defines the codes, and a test compares the two. */
export const EngineStatus = {
  ok: 0,
  invalid_argument: 1,
  stale: 2,
  full: 3,
  capacity: 4,
  closed: 5,
  cancelled: 6,
  not_found: 7,
  bad_library: 8,
  bad_version: 9,
  bad_model: 10,
  inference: 11,
  device: 12,
  overflow: 13,
  bad_message: 14,
  bad_audio: 15,
  not_ready: 16,
  out_of_memory: 17,
  internal: 18,
  not_media: 19,
} as const;

export type StatusName = keyof typeof EngineStatus;

/** Customers get these messages. The engine's own message goes to the log, as the error's cause. */
const ERROR_OF: Record<Exclude<StatusName, 'ok'>, readonly [ErrorCode, string]> = {
  invalid_argument: ['internal_error', 'The engine rejected its options.'],
  stale: ['internal_error', 'The session has ended.'],
  full: ['internal_error', 'Audio arrives faster than it can be processed.'],
  capacity: ['capacity', 'This server is at capacity; try again shortly.'],
  closed: ['unavailable', 'The server is closing.'],
  cancelled: ['unavailable', 'The work was cancelled.'],
  not_found: ['internal_error', 'The engine has no such component.'],
  bad_library: ['unavailable', 'The inference library cannot be used.'],
  bad_version: ['unavailable', 'The inference library has a version that is not supported.'],
  bad_model: ['unavailable', 'A required model cannot be used.'],
  inference: ['internal_error', 'A model failed.'],
  device: ['unavailable', 'The device on which models run cannot be used.'],
  overflow: ['internal_error', 'The connection reads too slowly.'],
  bad_message: ['invalid_request', 'A media message could not be parsed.'],
  bad_audio: ['invalid_audio', 'The bytes are not audio of the announced format.'],
  not_ready: ['unavailable', 'A required model is not ready.'],
  out_of_memory: ['unavailable', 'The server is out of memory.'],
  internal: ['internal_error', 'The engine failed.'],
  not_media: ['invalid_request', 'The message has no audio.'],
};

const NAMES = new Map<number, StatusName>(
  Object.entries(EngineStatus).map(([name, code]) => [code, name as StatusName]),
);

export const statusName = (code: number): StatusName => NAMES.get(code) ?? 'internal';

export class EngineError extends Error {
  readonly status: StatusName;

  constructor(code: number, message: string) {
    const status = statusName(code);
    super(message === '' ? status : `${status}: ${message}`);
    this.name = 'EngineError';
    this.status = status;
  }
}

export function engineStatusError(code: number, message = ''): ApiError {
  const name = statusName(code);
  const [errorCode, text] = ERROR_OF[name === 'ok' ? 'internal' : name];
  const retryAfter = name === 'capacity' || name === 'not_ready' ? { retryAfter: 5 } : {};
  return new ApiError(errorCode, text, { cause: new EngineError(code, message), ...retryAfter });
}

/** Other failures, such as a cancelled job or an engine that is busy, are not the model's. */
export const isModelFailure = (error: unknown): boolean =>
  error instanceof Error &&
  error.cause instanceof EngineError &&
  ['bad_model', 'not_found', 'inference', 'internal'].includes(error.cause.status);

export const statusTable = () => addon().statusTable();
