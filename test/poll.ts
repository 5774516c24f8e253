/**
 * Pauses between two polls of a state that has no event. The pause matters: polls over HTTP count against the rate
 * limit of their key, and each takes the CPU from the awaited work.
 */
export const pollDelay = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));

export async function until(check: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await check())) await pollDelay();
}
