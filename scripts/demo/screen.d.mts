type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export interface Screen {
  paint(style: Style, text: string): string;
  line(text?: string): void;
  heading(text: string): void;
  paragraph(text: string, indent?: number): void;
  /** `lead` may hold colours; `text` is cleaned. `seconds` null: the line goes on with what stands above. */
  event(seconds: number | null, lead: string, text: string): void;
}

export declare function createScreen(out: Output, environment?: { readonly NO_COLOR?: string }): Screen;
