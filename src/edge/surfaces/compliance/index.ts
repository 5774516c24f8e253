import type { ComplianceRoom } from '../../../telephony/compliance/index.ts';
import type { Surface } from '../../server/surface.ts';
import { caseRoutes } from './case-routes.ts';
import { evidenceRoutes } from './evidence-routes.ts';

export interface ComplianceSurfaceDeps {
  readonly compliance: ComplianceRoom;
}

export const createComplianceSurface = ({ compliance: room }: ComplianceSurfaceDeps): Surface => ({
  name: 'compliance',
  routes: (app) => {
    caseRoutes(app, room);
    evidenceRoutes(app, room);
  },
  start: async () => room.start(),
  stop: (deadlineMs) => room.stop(deadlineMs),
});
