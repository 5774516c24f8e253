/** How near the Natural voice lies to the published model, pair by pair, on this kind of processor. */
import { type SpectralMatch, spectralMatch } from '../speak/likeness.ts';
import { Published, SPELLED } from '../speak/peer.ts';
import { Stage } from '../speak/served-surface.ts';
import { KOKORO, RATE } from '../speak/voices.ts';

export interface SimilarityData {
  /** Of the product over HTTP and the published graph, each sentence. */
  readonly product: readonly SpectralMatch[];
  /** Of the published graph and itself. */
  readonly itself: readonly SpectralMatch[];
  /** Of another voice and the published graph: what is not alike. */
  readonly another: readonly SpectralMatch[];
}

const ANOTHER = 'bella_en_us';

export async function measureSimilarity(quick: boolean): Promise<SimilarityData> {
  const stage = await Stage.open();
  const published = await Published.open(2);
  const data = {
    product: [] as SpectralMatch[],
    itself: [] as SpectralMatch[],
    another: [] as SpectralMatch[],
  };
  try {
    for (const [text, phonemes] of SPELLED.slice(0, quick ? 1 : SPELLED.length)) {
      const reference = await published.say(phonemes);
      const apart = (sound: Float32Array): SpectralMatch => spectralMatch(sound, reference, RATE);
      data.product.push(apart(await stage.say(KOKORO, text)));
      data.itself.push(apart(await published.say(phonemes)));
      data.another.push(apart(await stage.say(ANOTHER, text)));
    }
    return data;
  } finally {
    await published.close();
    await stage.close();
  }
}
