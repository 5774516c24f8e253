export interface RenderResult {
  readonly loudness: {
    readonly integrated_lufs: number;
    readonly true_peak_dbtp: number;
    readonly range_lu: number;
    readonly largest_short_term_lufs: number;
    readonly gain_db: number;
  };
  readonly timeline: readonly {
    readonly line_id: string;
    readonly speaker: string;
    readonly voice: string;
    readonly start_ms: number;
    readonly end_ms: number;
    /** It was spoken for an earlier render, or in an earlier line. */
    readonly cached: boolean;
  }[];
  readonly chapters: readonly { readonly title: string; readonly start_ms: number }[];
  /** Speakers in the order of the stems' files; empty: no stems were asked for. */
  readonly stems: readonly string[];
}
