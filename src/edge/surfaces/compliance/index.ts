import type { ComplianceService } from '../../../telephony/compliance/index.ts';
import type { Surface } from '../../server/surface.ts';
import { caseRoutes } from './case-routes.ts';
import { evidenceRoutes } from './evidence-routes.ts';

export interface ComplianceSurfaceDeps {
  readonly compliance: ComplianceService;
}

export const createComplianceSurface = ({ compliance: service }: ComplianceSurfaceDeps): Surface => ({
  name: 'compliance',
  routes: (app) => {
    caseRoutes(app, service);
    evidenceRoutes(app, service);
  },
  start: async () => service.start(),
  stop: (deadlineMs) => service.stop(deadlineMs),
});
