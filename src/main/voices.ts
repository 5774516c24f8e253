import { tmpdir } from 'node:os';
import { createProvenanceSurface } from '../edge/surfaces/provenance/index.ts';
import { deploymentSecret } from '../foundation/access/index.ts';
import type { AudioDecoder } from '../media/codec/index.ts';
import type { Engine } from '../media/engine/index.ts';
import { Marks } from '../products/provenance/index.ts';
import { callVoices, speechCacheEviction, VoiceCatalogue, VoiceStore } from '../speech/voices/index.ts';
import type { CoreServices } from './main.ts';
import { PURPOSES } from './sealing.ts';

export async function voiceParts(
  { storage, clock, voices, log, sealing }: CoreServices,
  engine: Engine,
  decoder: AudioDecoder,
) {
  speechCacheEviction(engine, storage, (err) =>
    log.error({ err }, 'expired entries of the speech cache could not be removed'),
  );
  const sealer = sealing.sealer(PURPOSES.deployment);
  const marks = new Marks(storage, clock, await deploymentSecret(storage, clock, 'marks', sealer));
  const catalogue = new VoiceCatalogue(voices, new VoiceStore(storage, clock), marks);
  return {
    catalogue,
    voicesOfCalls: callVoices(
      voices,
      (scope, name) => catalogue.resolve(scope, name),
      (scope, voice) => catalogue.marked(scope, voice),
    ),
    provenance: createProvenanceSurface({ engine, decoder, watermark: marks, temporary: tmpdir() }),
  };
}
