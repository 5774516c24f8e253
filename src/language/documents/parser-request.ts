import type { SiteMapLimits } from './site-map.ts';

export type ParserRequest =
  /** The words of a PDF in their places. */
  | { readonly kind: 'pages' }
  /** The request reads the image of that page. */
  | { readonly kind: 'picture'; readonly page: number }
  /** Where a page of the web leads, and what its text is known by. */
  | { readonly kind: 'outline' }
  | { readonly kind: 'siteMap'; readonly limits: SiteMapLimits };

/** A page of the web, to who looks for others. */
export interface PageOutline {
  readonly links: readonly string[];
  /** The address by which it wants to be known. */
  readonly canonical: string | null;
  /** The base URL of links, where it differs from the document's address. */
  readonly base: string | null;
  /** It asks not to be kept by whoever finds it. */
  readonly unlisted: boolean;
  /** A hash of what it says; null: it says nothing. */
  readonly text: string | null;
}
