import { availableParallelism, totalmem } from 'node:os';
import { brokenChains } from '../../foundation/audit/index.ts';
import type { Config } from '../../foundation/platform/config/index.ts';
import { Models } from '../../foundation/platform/models/index.ts';
import type { Storage } from '../../foundation/storage/index.ts';
import { modelParts, openCoreServices } from '../../main/main.ts';
import { cpuFeatures } from '../../media/engine/index.ts';
import type { CliContext } from './command.ts';
import { type DoctorFinding, programFindings } from './doctor-checks.ts';
import { deviceFindings } from './doctor-device.ts';
import { mend } from './doctor-fix.ts';
import { findingLine } from './doctor-line.ts';
import { listenerFinding } from './doctor-listener.ts';
import { runningFindings } from './doctor-running.ts';
import { sandboxFindings } from './doctor-sandbox.ts';
import { sealingFinding } from './doctor-sealing.ts';
import { searchFinding } from './doctor-search.ts';
import { sipFindings } from './doctor-sip.ts';
import { egressDestinations } from './egress.ts';

export interface DoctorOptions {
  json?: boolean;
  egress?: boolean;
  fix?: boolean;
}

export async function report(context: CliContext, { json, egress, fix }: DoctorOptions): Promise<void> {
  const config = context.config();
  if (egress) return reportPlaces(config, json === true, context);
  if (fix) await mend(context);
  const findings = [
    ...machineFindings(),
    listenerFinding(),
    ...engineFindings(config),
    ...sipFindings(config),
    ...(await serviceFindings(config, context)),
    ...(await runningFindings(config)),
    ...(await sandboxFindings(config, new Models({ root: config.models }))),
  ];
  if (json) context.out(JSON.stringify(findings, null, 2));
  else for (const finding of findings) context.out(findingLine(finding));
  context.exit(findings.every((finding) => finding.works || !finding.required) ? 0 : 1);
}

function reportPlaces(config: Config, json: boolean, context: CliContext): void {
  const places = egressDestinations(config).map(({ by: _, ...place }) => place);
  const lines = places.map(({ place, why, when }) => `${place}\n  ${why}\n  when: ${when}`);
  context.out(json ? JSON.stringify(places, null, 2) : lines.join('\n'));
}

const GIB = 1024 ** 3;
function machineFindings(): DoctorFinding[] {
  const detail = `${process.version}, ${process.platform} ${process.arch}`;
  const machine = `${availableParallelism()} threads, ${(totalmem() / GIB).toFixed(1)} GiB`;
  return [
    { name: 'node', works: true, required: true, detail },
    { name: 'machine', works: true, required: false, detail: machine },
  ];
}

function engineFindings(config: Config): DoctorFinding[] {
  try {
    const cpu = cpuFeatures();
    return [
      { name: 'engine', works: true, required: true, detail: `${cpu.kernels} kernels` },
      ...deviceFindings(config),
    ];
  } catch (error) {
    return [{ name: 'engine', works: false, required: true, detail: (error as Error).message }];
  }
}

type Part = ReturnType<typeof modelParts>[number];
const fromPart = ({ name, ready, required, detail }: Part): DoctorFinding => ({
  name,
  works: ready,
  required,
  ...(detail ? { detail } : {}),
});

/** The other checks run also where the storage does not open. */
async function serviceFindings(config: Config, context: CliContext): Promise<DoctorFinding[]> {
  let services: Awaited<ReturnType<typeof openCoreServices>>;
  try {
    services = await openCoreServices(config, context.log(config));
  } catch (error) {
    const storage = { name: 'storage', works: false, required: true, detail: (error as Error).message };
    const models = new Models({ root: config.models });
    return [storage, ...modelParts(models).map(fromPart), ...(await programFindings(config, models))];
  }
  try {
    const findings: DoctorFinding[] = [];
    for (const [name, source] of services.parts) {
      try {
        findings.push(...(await source()).map(fromPart));
      } catch (error) {
        findings.push({ name, works: false, required: true, detail: (error as Error).message });
      }
    }
    const programs = await programFindings(config, services.models);
    const search = searchFinding(services.storage, services.models);
    const sealing = sealingFinding(config);
    return [...findings, ...(await auditFindings(services.storage)), sealing, search, ...programs];
  } finally {
    await services.close();
  }
}

async function auditFindings(storage: Storage): Promise<DoctorFinding[]> {
  const broken = await brokenChains(storage.db);
  const [first] = broken;
  const where =
    first && `${first.orgId || 'the deployment'}: entry ${first.sequence} was changed or is missing`;
  const detail = where && (broken.length > 1 ? `${where}, and ${broken.length - 1} more chains` : where);
  return [{ name: 'audit log', works: broken.length === 0, required: true, ...(detail ? { detail } : {}) }];
}
