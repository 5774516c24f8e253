export interface NodeMark {
  /** The findings of the check, joined. */
  readonly problem?: string;
  /** The places in a call's path: "1, 4". */
  readonly steps?: string;
  readonly figure?: string;
  readonly isCurrent?: boolean;
}

export interface EdgeMark {
  readonly isTaken?: boolean;
  readonly isProblem?: boolean;
  readonly figure?: string;
}

export interface Marks {
  readonly nodes: ReadonlyMap<string, NodeMark>;
  readonly edges: ReadonlyMap<number, EdgeMark>;
}
