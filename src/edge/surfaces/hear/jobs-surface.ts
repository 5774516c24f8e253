import type { TranscriptionService } from '../../../speech/transcription/index.ts';
import type { Surface } from '../../server/surface.ts';
import { type JobRoutesDeps, jobRoutes } from './job-routes.ts';

export type JobsSurfaceDeps = Omit<JobRoutesDeps, 'jobs'> & { readonly transcription: TranscriptionService };

export const createTranscriptionJobsSurface = ({ transcription, ...deps }: JobsSurfaceDeps): Surface => ({
  name: 'transcription jobs',
  routes: (app) => jobRoutes(app, { ...deps, jobs: transcription.jobs }),
  start: () => transcription.start(),
  stop: (deadlineMs) => transcription.stop(deadlineMs),
});
