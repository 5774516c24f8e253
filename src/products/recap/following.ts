import { conversationInWorker, EndedCallJobs, type EndedCallJobsOptions } from '../trace/index.ts';
import type { RecapCalls } from './calls.ts';
import type { RecapSettingsStore } from './settings.ts';

interface RecordingOptions extends Omit<EndedCallJobsOptions, 'name' | 'work'> {
  readonly settings: RecapSettingsStore;
  readonly calls: RecapCalls;
}

/** Makes the record of every ended conversation, where the project's settings ask for it. */
export const recording = ({ settings, calls, ...rest }: RecordingOptions): EndedCallJobs =>
  new EndedCallJobs({
    ...rest,
    name: 'recap',
    async work(scope, read) {
      const { config, fields } = await settings.of(scope);
      const raw = config.enabled ? await read() : null;
      if (raw === null) return null;
      const conversation = await conversationInWorker(raw, scope.org);
      const worked = await calls.work(scope, conversation, fields);
      return async (trx) => void (await calls.keep(trx, scope, conversation, worked, config));
    },
  });
