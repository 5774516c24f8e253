/** A sentence of these has about 14 tokens for SmolLM2; the benchmark reports the tokens of each prompt. */
const GOODS = ['bread', 'cake', 'coffee', 'tea', 'soup', 'cheese', 'apples', 'butter', 'jam', 'milk', 'rice'];
const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

const SENTENCE_TOKENS = 14.03;
const OTHER_TOKENS = 145;

export function promptOf(beginning: string, tokens: number): string {
  const sentences = Math.max(1, Math.floor((tokens - OTHER_TOKENS) / SENTENCE_TOKENS));
  const said = Array.from({ length: sentences }, (_, at) => {
    const [good, day] = [GOODS[at % GOODS.length], DAYS[at % DAYS.length]];
    return `On ${day} the shop sells ${good} from nine until six o'clock.`;
  });
  return [beginning, 'You answer for a shop.', ...said].join(' ');
}
