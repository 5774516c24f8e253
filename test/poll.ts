/**
 * Looking again at what tells no event. The pause matters: looks over HTTP count against the limit of the key that looks,
 * and each takes the processor from what is waited for.
 */
export const pollDelay = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));

export async function until(check: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await check())) await pollDelay();
}
