/** The languages of calls, each by its own name. */
export const LANGUAGE_CHOICES = [
  ['en', 'English'],
  ['es', 'Español'],
  ['fr', 'Français'],
  ['de', 'Deutsch'],
  ['hi', 'हिन्दी'],
] as const;
