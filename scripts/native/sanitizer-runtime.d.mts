export declare function requireRuntime(compiler: string, sanitizers: string): Promise<void>;
