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
    /** It is true where an earlier render or line had synthesized the take. */
    readonly cached: boolean;
  }[];
  readonly chapters: readonly { readonly title: string; readonly start_ms: number }[];
  /** The speakers in the order of the stem files; empty where no stems were requested. */
  readonly stems: readonly string[];
}
