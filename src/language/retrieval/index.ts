export { bm25 } from './bm25.ts';
export { RETRIEVAL_LANGUAGES } from './languages.ts';
export { fuseRankings, type Ranking } from './rank-fusion.ts';
export { type SearchCandidate, type SearchResult, searchCandidates } from './search.ts';
export { type EmbedFunction, SemanticSimilarity } from './semantic-similarity.ts';
export {
  type Nearest,
  type Neighbour,
  nearestBy,
  quantised,
  similarityOf,
  VECTOR_SIZE,
} from './vectors.ts';
export { contentStems, type SentenceSpan, searchWordsOf, sentenceSpans, sentencesOf } from './words.ts';
