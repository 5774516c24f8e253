import { Published, SPELLED } from '../speak/peer.ts';
import { Stage } from '../speak/served-surface.ts';
import { type SpectralMatch, spectralMatch } from '../speak/spectral-match.ts';
import { KOKORO, RATE } from '../speak/voices.ts';

export interface SimilarityData {
  readonly product: readonly SpectralMatch[];
  readonly itself: readonly SpectralMatch[];
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
