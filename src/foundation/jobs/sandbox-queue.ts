/** Jobs of sandbox keys have a queue and hands of their own, so that nobody who pays waits for theirs. */
export const sandboxQueueOf = (queue: string): string => `${queue}.trial`;

export const queueFor = (queue: string, environment: 'live' | 'sandbox'): string =>
  environment === 'live' ? queue : sandboxQueueOf(queue);
