/** Jobs of sandbox keys have their own queue and workers, so that they never delay paying customers. */
export const sandboxQueueOf = (queue: string): string => `${queue}.trial`;

export const queueFor = (queue: string, environment: 'live' | 'sandbox'): string =>
  environment === 'live' ? queue : sandboxQueueOf(queue);
