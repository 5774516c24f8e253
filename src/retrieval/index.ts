export { type Embed, Meaning } from './meaning.ts';
export { type Candidate, type Found, search } from './search.ts';
export { contentStems, sentencesOf } from './words.ts';
