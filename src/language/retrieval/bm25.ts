const K1 = 1.2;
const B = 0.6;

export function bm25(query: readonly string[], documents: readonly (readonly string[])[]): number[] {
  const mean = documents.reduce((sum, document) => sum + document.length, 0) / Math.max(1, documents.length);
  const rarity = new Map(query.map((term) => [term, inverseFrequency(term, documents)]));
  return documents.map((document) => {
    let score = 0;
    for (const term of query) {
      const count = document.filter((word) => word === term).length;
      const length = 1 - B + (B * document.length) / Math.max(1, mean);
      score += ((rarity.get(term) ?? 0) * count * (K1 + 1)) / (count + K1 * length);
    }
    return score;
  });
}

function inverseFrequency(term: string, documents: readonly (readonly string[])[]): number {
  const holding = documents.filter((document) => document.includes(term)).length;
  return Math.log(1 + (documents.length - holding + 0.5) / (holding + 0.5));
}
