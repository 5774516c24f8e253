// npm run bench -- meaning: measures which embedding model finds the English passage for a question in each of twelve languages.
import { Models } from '../../src/foundation/platform/models/index.ts';
import { quantised, similarityOf } from '../../src/language/retrieval/index.ts';
import { Engine, embedMultilingual, embedTexts } from '../../src/media/engine/index.ts';
import { percentile, runBench } from '../harness/index.ts';
import { PASSAGES, QUESTIONS } from './language-questions.ts';

type Role = 'query' | 'passage';
type Embed = (role: Role, texts: readonly string[]) => Promise<Float32Array[]>;

interface Found {
  readonly byLanguage: ReadonlyMap<string, number>;
  readonly milliseconds: readonly number[];
}

const ROUNDS = 5;

/** Counts the questions whose own passage is the most similar of all. */
async function found(embed: Embed): Promise<Found> {
  const passages = (await embed('passage', PASSAGES)).map(quantised);
  const byLanguage = new Map<string, number>();
  const milliseconds: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [language, questions] of Object.entries(QUESTIONS)) {
      let right = 0;
      for (const [at, question] of questions.entries()) {
        const start = performance.now();
        const [vector] = await embed('query', [question]);
        milliseconds.push(performance.now() - start);
        const asked = quantised(vector as Float32Array);
        const similarities = passages.map((passage) => similarityOf(asked, passage));
        if (similarities.indexOf(Math.max(...similarities)) === at) right += 1;
      }
      byLanguage.set(language, right);
    }
  return { byLanguage, milliseconds };
}

const sum = (counts: Iterable<number>): number => [...counts].reduce((all, count) => all + count, 0);

await runBench('meaning', 'Questions in twelve languages', async (report) => {
  const files = Object.entries(new Models().wholeFiles()).filter(([path]) => /minilm|e5-small/.test(path));
  const engine = new Engine({ models: Object.fromEntries(files), device: 'cpu' });
  const awake = setInterval(() => {}, 60_000);
  try {
    await engine.prepared();
    const live = { live: true };
    const systems = {
      'e5-small': await found((role, texts) => embedMultilingual(engine, role, texts, live)),
      'minilm-l6': await found((_, texts) => embedTexts(engine, texts, live)),
    };
    const [e5, peer] = [systems['e5-small'], systems['minilm-l6']];
    const count = PASSAGES.length * Object.keys(QUESTIONS).length;
    report.text(
      `${PASSAGES.length} English passages, and for each one question in ${Object.keys(QUESTIONS).length} languages, written for this report and used for nothing else. ` +
        'A question counts where its own passage is the most similar of all, by vectors alone. Chance finds one of twelve.',
    );
    report.figure({
      name: `questions found, of ${count}`,
      value: sum(e5.byLanguage.values()),
      unit: '',
      peer: 'minilm-l6',
      peerValue: sum(peer.byLanguage.values()),
    });
    for (const [name, { milliseconds }] of Object.entries(systems))
      report.figure({
        name: `vector of a question by ${name}, p95`,
        value: percentile(milliseconds, 0.95),
        unit: 'ms',
      });
    report.heading('By language');
    report.table(
      ['language', 'e5-small, of 12', 'minilm-l6, of 12'],
      [...e5.byLanguage].map(([language, right]) => [
        language,
        String(right),
        String(peer.byLanguage.get(language)),
      ]),
    );
  } finally {
    clearInterval(awake);
    engine.destroy();
  }
});
