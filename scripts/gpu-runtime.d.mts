export interface RuntimePackage {
  readonly name: string;
  readonly version: string;
  readonly file: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly tag: string;
  readonly members: { readonly member: string; bytes: number }[];
}

export interface GpuRuntime {
  readonly version: string;
  readonly library: string;
  readonly packages: RuntimePackage[];
}

export function readRuntime(path?: string): GpuRuntime;
export function missingPackages(runtime: GpuRuntime, system: ReadonlySet<string>): RuntimePackage[];
export function install(options: {
  root: string;
  from?: string;
  dryRun?: boolean;
  log: (line: string) => void;
  runtime?: GpuRuntime;
  system?: ReadonlySet<string>;
}): Promise<string | undefined>;
export function uninstall(options: { root: string; log: (line: string) => void }): void;
