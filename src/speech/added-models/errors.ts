export class AddedModelError extends Error {
  override readonly name = 'AddedModelError';
}

/** The download stopped early. Its bytes stay, and the same command continues it. */
export class InterruptedError extends AddedModelError {}

export class NoSuchFileError extends AddedModelError {}
