import type { Config } from '../../foundation/platform/config/index.ts';
import type { Models } from '../../foundation/platform/models/index.ts';
import { readableByOthers } from '../../foundation/storage/index.ts';
import { countsOwnProcesses, sandboxKind } from '../../media/codec/index.ts';
import { phonemeSandbox } from '../../media/engine/index.ts';
import type { DoctorFinding } from './doctor-checks.ts';

const SANDBOX = {
  namespaces: 'no environment variables, no network, no writable files, limited memory and time',
  bubblewrap: 'no environment variables, no network, only its own files, limited memory and time',
  limits:
    'no environment variables, no writable files, limited memory and time. It can reach the network: allow user namespaces, or install bubblewrap',
} as const;

/** The kernel does not apply process limits to root outside of namespaces. */
function processesOf(): string {
  if (process.getuid?.() === 0)
    return '. The number of processes is not limited: run the server as a user other than root';
  return countsOwnProcesses()
    ? ', limited processes'
    : '. The number of processes is not limited, because this kernel counts all processes of the user';
}

export async function sandboxFindings(config: Config, models: Models): Promise<DoctorFinding[]> {
  const others = privateData(config.data);
  const kind = sandboxKind();
  return [
    {
      name: 'data folder',
      works: others === null,
      required: false,
      detail: others ?? `${config.data} is private`,
    },
    {
      name: `sandbox of ffmpeg (${kind})`,
      works: kind !== 'limits',
      required: false,
      detail: SANDBOX[kind] + processesOf(),
    },
    await phonemes(models),
  ];
}

function privateData(folder: string): string | null {
  try {
    const others = readableByOthers(folder);
    return others && `${folder}: ${others}; restrict access with: chmod 700 ${folder}`;
  } catch (error) {
    return (error as Error).message;
  }
}

async function phonemes(models: Models): Promise<DoctorFinding> {
  const name = 'sandbox of the phonemizer';
  if (!models.status('espeak-ng').ready)
    return { name, works: false, required: false, detail: 'not downloaded yet' };
  try {
    const { environmentBytes, filtered } = await phonemeSandbox({
      library: models.path('espeak-ng/libespeak-ng.so.1'),
      data: models.folder('espeak-ng'),
    });
    const works = environmentBytes === 0 && filtered;
    const held = 'no environment variables, no network, no new programs, no writable files, limited memory';
    const lacks = 'it is limited, but this kernel does not filter system calls: it can reach the network';
    return { name, works, required: false, detail: works ? held : lacks };
  } catch (error) {
    return { name, works: false, required: false, detail: (error as Error).message };
  }
}
