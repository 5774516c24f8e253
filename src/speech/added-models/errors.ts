/** Why a model is not added, used or taken away: written for the operator. */
export class AddedModelError extends Error {
  override readonly name = 'AddedModelError';
}

/** The download stopped before the end. What has arrived stays, and the same command continues it. */
export class InterruptedError extends AddedModelError {}
