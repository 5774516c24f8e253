/** The languages in which passages are searched by words and by meaning. */
export const RETRIEVAL_LANGUAGES = ['en', 'es', 'fr', 'de', 'hi'] as const;
