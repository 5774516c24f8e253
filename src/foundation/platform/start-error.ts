/** The program prints it in one line with the setting to check, without a stack. */
export class StartError extends Error {
  constructor(what: string, setting: string, cause: unknown) {
    super(`${what} cannot be opened: ${reason(cause)} (check ${setting})`, { cause });
    this.name = 'StartError';
  }
}

/** A host with several addresses fails with one error for each and no message of its own. */
function reason(cause: unknown): string {
  const { message, code, errors } = cause as { message?: string; code?: string; errors?: unknown[] };
  if (Array.isArray(errors) && errors.length > 0) return errors.map(reason).join('; ');
  return message || code || String(cause);
}

export async function openOrFailStart<T>(what: string, setting: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (cause) {
    throw new StartError(what, setting, cause);
  }
}
