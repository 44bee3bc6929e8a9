//! The book in HTML: every chapter becomes a page, and every link leads to a page and a heading that are there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use mdbook_driver::MDBook;
use mdbook_driver::book::BookItem;

/// What mdBook itself adds, which holds every chapter once more or none.
const ADDED: [&str; 3] = ["print.html", "404.html", "toc.html"];

/// A page: what can be led to, and where its links lead.
#[derive(Default)]
struct Page {
    ids: BTreeSet<String>,
    links: Vec<String>,
}

/// The values of an attribute.
fn values<'a>(html: &'a str, attribute: &str) -> impl Iterator<Item = &'a str> {
    let begin = format!(" {attribute}=\"");
    let rests: Vec<&str> = html.split(begin.as_str()).skip(1).collect();
    rests
        .into_iter()
        .filter_map(|rest| Some(rest.split_once('"')?.0))
}

/// Every page below `folder`, by its way from there.
fn pages(folder: &Path) -> BTreeMap<PathBuf, Page> {
    let mut all = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "html") {
                let html = fs::read_to_string(&path).expect("a page");
                // What the chapter has, without mdBook's own frame.
                let (_, main) = html.split_once("<main>").unwrap_or_default();
                let (main, _) = main.split_once("</main>").unwrap_or_default();
                let page = Page {
                    ids: values(main, "id").map(str::to_owned).collect(),
                    links: values(main, "href").map(str::to_owned).collect(),
                };
                let way = path.strip_prefix(folder).expect("below it");
                all.insert(way.to_path_buf(), page);
            }
        }
    }
    all.retain(|way, _| !ADDED.iter().any(|it| way == Path::new(it)));
    all
}

/// Where a link of `page` leads, from the book's folder; `None` if that is outside.
fn target(page: &Path, link: &str) -> Option<PathBuf> {
    let mut way = page.parent()?.to_path_buf();
    for part in Path::new(link).components() {
        match part {
            Component::ParentDir if way.pop() => (),
            Component::ParentDir => return None,
            Component::Normal(name) => way.push(name),
            _ => (),
        }
    }
    Some(way)
}

#[test]
fn mdbook_builds_a_page_of_each_chapter_and_every_link_leads_somewhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let mut book = MDBook::load(docs.canonicalize().expect("there")).expect("the book loads");
    book.config.build.build_dir = folder.path().into();
    book.build().expect("mdBook builds it");

    let pages = pages(folder.path());
    let chapters = book.iter().filter_map(|item| match item {
        BookItem::Chapter(chapter) => chapter.path.as_ref(),
        _ => None,
    });
    let mut count = 0;
    for chapter in chapters {
        let page = chapter.with_extension("html");
        assert!(pages.contains_key(&page), "no page {}", page.display());
        count += 1;
    }
    assert!(count > 100, "{count} chapters");

    let mut dead = vec![];
    let mut followed = 0;
    for (way, page) in &pages {
        for link in page.links.iter().filter(|link| !link.contains(':')) {
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let to = match file {
                "" => Some(way.clone()),
                file => target(way, file),
            };
            let is_there = to.is_some_and(|to| match pages.get(&to) {
                Some(page) => heading.is_empty() || page.ids.contains(heading),
                None => heading.is_empty() && folder.path().join(to).is_file(),
            });
            followed += 1;
            if !is_there {
                dead.push(format!("{}: {link}", way.display()));
            }
        }
    }
    assert!(followed > 1000, "{followed} links");
    assert!(dead.is_empty(), "{dead:#?}");
}
