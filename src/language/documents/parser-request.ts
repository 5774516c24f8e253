import type { SiteMapLimits } from './site-map.ts';

/** What the program that reads documents is asked for. */
export type ParserRequest =
  /** The words of a PDF in their places. */
  | { readonly kind: 'pages' }
  /** What the page of that number shows. */
  | { readonly kind: 'picture'; readonly page: number }
  /** Where a page of the web leads, and what its text is known by. */
  | { readonly kind: 'outline' }
  | { readonly kind: 'siteMap'; readonly limits: SiteMapLimits };

/** A page of the web, to who looks for others. */
export interface PageOutline {
  readonly links: readonly string[];
  /** The address by which it wants to be known. */
  readonly canonical: string | null;
  /** What its links are relative to, where that is not its own address. */
  readonly base: string | null;
  /** It asks not to be kept by whoever finds it. */
  readonly unlisted: boolean;
  /** A hash of what it says; null: it says nothing. */
  readonly text: string | null;
}
