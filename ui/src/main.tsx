import { render } from "preact";
import { App } from "./frame/app.tsx";
import { applyTheme } from "./frame/theme.ts";
import { language } from "./language/language.ts";
import { followLinks } from "./location/place.ts";
import { beginSession } from "./session/session.ts";
import "./style/tokens.css";
import "./style/elements.css";
import "./style/frame.css";

document.documentElement.lang = language;
applyTheme();
followLinks();
window.addEventListener("hashchange", beginSession);
beginSession();
render(<App />, document.body);
