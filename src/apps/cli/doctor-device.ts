import { join } from 'node:path';
import type { Config } from '../../foundation/platform/config/index.ts';
import { installedGpuLibrary, Models } from '../../foundation/platform/models/index.ts';
import { deviceReport, inspectModels, type ModelPlacement } from '../../media/engine/index.ts';
import { AddedModels } from '../../speech/added-models/index.ts';
import type { DoctorFinding } from './doctor-checks.ts';

/** Opens every graph as the server would, and reports the library, the device and the placement. */
export function deviceFindings(
  config: Pick<Config, 'device' | 'cudaDevice' | 'deviceStrict' | 'ortLibrary' | 'models' | 'data'>,
): DoctorFinding[] {
  const settings = { device: config.device, index: config.cudaDevice };
  const store = new Models({ root: config.models });
  const installed = config.device === 'cpu' ? undefined : installedGpuLibrary(store.root);
  const library = config.ortLibrary ?? installed;
  const report = deviceReport(settings, library);
  const { problem, version, providers } = report;
  const inference = {
    name: 'inference library',
    works: problem === undefined,
    required: true,
    detail: problem ?? `${version}, ${providers.join(' ')}`,
  };
  if (problem !== undefined) return [inference, deviceFinding(config, 'cpu', 'no inference library')];
  const models = inspectModels(settings, { ...store.wholeFiles(), ...addedForms(config.data) }, library);
  const failed = models.find((model) => model.failed)?.reason;
  const device = models.some((model) => model.device === 'cuda') ? 'cuda' : report.device;
  return [inference, deviceFinding(config, device, report.fallback ?? failed), ...models.map(modelFinding)];
}

/** The forms for a GPU of the recognizers that the operator added, by the names under which the engine reports them. */
const addedForms = (data: string): Record<string, string> => {
  const added = new AddedModels(data);
  return Object.fromEntries(
    added.list.flatMap((model) =>
      (model.kind === 'whisper' ? model.files : [])
        .filter(({ path }) => path.startsWith('gpu-'))
        .map(({ path }) => [`added/${model.name}/${path}`, join(added.pathOf(model), path)]),
    ),
  );
};

const deviceFinding = (
  config: Pick<Config, 'device' | 'deviceStrict'>,
  device: 'cpu' | 'cuda',
  fallback: string | undefined,
): DoctorFinding => ({
  name: fallback ? `device ${device} (${config.device} is configured)` : `device ${device}`,
  works: fallback === undefined,
  required: config.device === 'cuda' && config.deviceStrict,
  ...(fallback ? { detail: fallback } : {}),
});

const modelFinding = ({ name, device, reason, failed, nodes, copies }: ModelPlacement): DoctorFinding => {
  const counted = Object.entries(nodes).map(([provider, count]) => `${provider} ${count}`);
  const graph = counted.length === 0 ? '' : ` (nodes: ${counted.join(', ')}; copies in a run: ${copies})`;
  return {
    name: `model ${name}`,
    works: !failed,
    required: false,
    detail: `on ${device}: ${reason}${graph}`,
  };
};
