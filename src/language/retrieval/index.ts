export { bm25 } from './bm25.ts';
export { fuse, type Ranking } from './fuse.ts';
export { type Embed, Meaning } from './meaning.ts';
export { type Candidate, type Found, search } from './search.ts';
export {
  type Nearest,
  type Neighbour,
  nearestBy,
  quantised,
  VECTOR_SIZE,
} from './vectors.ts';
export { contentStems, type Span, sentenceSpans, sentencesOf, wordsOf } from './words.ts';
