/** An error of a module that the program cannot run without: reported in a line with the setting to look at, without a stack. */
export class StartError extends Error {
  constructor(what: string, setting: string, cause: unknown) {
    super(`${what} cannot be opened: ${reason(cause)} (${setting} says where)`, { cause });
    this.name = 'StartError';
  }
}

/** A host with several addresses fails with an error for each and no words of its own. */
function reason(cause: unknown): string {
  const { message, code, errors } = cause as { message?: string; code?: string; errors?: unknown[] };
  if (Array.isArray(errors) && errors.length > 0) return errors.map(reason).join('; ');
  return message || code || String(cause);
}

/** Opens a module, or fails with a StartError. */
export async function openOrFailStart<T>(what: string, setting: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (cause) {
    throw new StartError(what, setting, cause);
  }
}
