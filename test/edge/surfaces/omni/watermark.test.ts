// @requirement Provenance: Dubs and calls carry the watermark.
import { expect, it } from 'vitest';
import { systemClock } from '../../../../src/foundation/platform/clock.ts';
import { WATERMARK_RATE } from '../../../../src/media/engine/index.ts';
import { Marks, readProvenance } from '../../../../src/products/provenance/index.ts';
import { StockVoices, VoiceCatalogue, VoiceStore } from '../../../../src/speech/voices/index.ts';
import { OneKeyAccess } from '../../server/fixtures/access.ts';
import { absent, Client, openOmni } from './server.ts';

const GREETING =
  'Thank you for calling the town library. We are open from nine to six on weekdays, and from ten to two on Saturdays.';
const ENOUGH_BYTES = 5.6 * WATERMARK_RATE * 2;

it.skipIf(Boolean(absent))(
  'what a caller hears carries the mark of the organization',
  async () => {
    let marks!: Marks;
    const { url, engine } = await openOmni({
      voices: (storage) => {
        marks = new Marks(storage, systemClock, Buffer.from('a deployment'));
        const catalogue = new VoiceCatalogue(new StockVoices(), new VoiceStore(storage, systemClock), marks);
        return (scope, name) => catalogue.resolve(scope, name);
      },
    });
    const client = await new Client(url).opened();
    await client.configure({ greeting: GREETING });
    const enough = () => client.audioBytes >= ENOUGH_BYTES;
    await client.silenceUntil(enough);
    client.socket.close();
    const heard = Buffer.concat(client.audio);
    const { orgId } = new OneKeyAccess().principal();
    expect(await readProvenance(engine, heard, marks.codeOf(orgId))).toMatchObject({
      marked: true,
      ours: true,
    });
    const others = await readProvenance(engine, heard, marks.codeOf('org_other'));
    expect(others).toMatchObject({ marked: true, ours: false });
  },
  60_000,
);
