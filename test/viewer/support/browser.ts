import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

/** Where Chromium lies; empty when it is missing, and then the viewer's tests are skipped. */
export const executablePath = process.env.PARLEY_CHROMIUM ?? "";

const args = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath, args });
}

export interface Visit {
  readonly page: Page;
  /** What the page threw, logged as an error, or tried against its policy. */
  readonly problems: string[];
  /** Goes to a path with the query, signed in. */
  open(path: string): Promise<void>;
  close(): Promise<void>;
}

export interface Visited {
  readonly viewerUrl: string;
  readonly token: string;
}

export type VisitOptions = Pick<
  BrowserContextOptions,
  "locale" | "colorScheme" | "viewport" | "timezoneId"
> & {
  /** Default true. */
  readonly signedIn?: boolean;
};

/** A fresh browser of one person, at the viewer. */
export async function visit(browser: Browser, instance: Visited, options: VisitOptions = {}): Promise<Visit> {
  const { signedIn = true, ...rest } = options;
  const context = await browser.newContext({
    locale: "en-GB",
    timezoneId: "Europe/Berlin",
    viewport: { width: 1280, height: 800 },
    ...rest,
  });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    // A failed request is the page's business, and it shows it; what it logs itself is not.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      problems.push(message.text());
  });
  if (signedIn)
    await page.addInitScript((token) => sessionStorage.setItem("parley-token", token), instance.token);
  return {
    page,
    problems,
    open: async (path) => {
      await page.goto(`${instance.viewerUrl}${path}`);
    },
    close: () => context.close(),
  };
}
