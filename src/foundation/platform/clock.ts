/** Time is injected everywhere, so that tests never wait for it. */
export interface Clock {
  now(): number;
  monotonic(): number;
  /** Runs `task` once after `ms`; the returned function cancels it. Timers never keep the process alive. */
  after(ms: number, task: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, task) => {
    const timer = setTimeout(task, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
