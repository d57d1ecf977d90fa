//! The documents that clauses are cited from.

/// A document, as clauses name it and as its readers know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Document {
    /// Name of the document in clauses.
    pub id: &'static str,
    pub title: &'static str,
    /// Link to the document, if it is public.
    pub url: Option<&'static str>,
    /// Whether a section is found by its anchor behind a `#`.
    pub sections_by_anchor: bool,
    /// Whether it is one of the five Khronos reference pages the suite began from.
    pub reference_page: bool,
}

impl Document {
    /// Returns the link to a section: to the section itself where its anchor is a link target, else to the document.
    pub fn link(&self, anchor: &str) -> Option<String> {
        let url = self.url?;
        Some(if self.sections_by_anchor { format!("{url}#{anchor}") } else { url.to_owned() })
    }
}

/// Every document: the specification, what it builds on, and the reference pages.
pub const DOCUMENTS: [Document; 12] = [
    Document {
        id: "OpenCL_C",
        title: "The OpenCL C Specification, 3.0 unified",
        url: Some("https://registry.khronos.org/OpenCL/specs/3.0-unified/html/OpenCL_C.html"),
        sections_by_anchor: true,
        reference_page: false,
    },
    Document {
        id: "OpenCL_API",
        title: "The OpenCL Specification, 3.0 unified",
        url: Some("https://registry.khronos.org/OpenCL/specs/3.0-unified/html/OpenCL_API.html"),
        sections_by_anchor: true,
        reference_page: false,
    },
    Document {
        id: "CXX_for_OpenCL",
        title: "The C++ for OpenCL 1.0 and 2021 Programming Language Documentation",
        url: Some("https://www.khronos.org/opencl/assets/CXX_for_OpenCL.html"),
        sections_by_anchor: false,
        reference_page: false,
    },
    Document {
        id: "SPIR-V",
        title: "SPIR-V Specification, unified",
        url: Some("https://registry.khronos.org/SPIR-V/specs/unified1/SPIRV.html"),
        sections_by_anchor: true,
        reference_page: false,
    },
    Document {
        id: "OpenCL_Env",
        title: "The OpenCL SPIR-V Environment Specification, 3.0 unified",
        url: Some("https://registry.khronos.org/OpenCL/specs/3.0-unified/html/OpenCL_Env.html"),
        sections_by_anchor: true,
        reference_page: false,
    },
    Document {
        id: "C99",
        title: "ISO/IEC 9899:1999, Programming languages - C (draft N1256)",
        url: Some("https://www.open-std.org/jtc1/sc22/wg14/www/docs/n1256.pdf"),
        sections_by_anchor: false,
        reference_page: false,
    },
    Document {
        id: "Embedded_C",
        title: "ISO/IEC TR 18037, Extensions to support embedded processors (draft N1169)",
        url: Some("https://www.open-std.org/jtc1/sc22/wg14/www/docs/n1169.pdf"),
        sections_by_anchor: false,
        reference_page: false,
    },
    reference_page(
        "ref-1.2-local",
        "OpenCL 1.2 reference page \"local\"",
        Some("https://registry.khronos.org/OpenCL/sdk/1.2/docs/man/xhtml/local.html"),
    ),
    reference_page(
        "ref-2.0-private",
        "OpenCL 2.0 reference page \"private\"",
        Some("https://registry.khronos.org/OpenCL/sdk/2.0/docs/man/xhtml/private.html"),
    ),
    reference_page(
        "ref-2.1-constant",
        "OpenCL 2.1 reference page \"constant\"",
        Some("https://registry.khronos.org/OpenCL/sdk/2.1/docs/man/xhtml/constant.html"),
    ),
    reference_page(
        "ref-2.1-global",
        "OpenCL 2.1 reference page \"global\"",
        Some("https://registry.khronos.org/OpenCL/sdk/2.1/docs/man/xhtml/global.html"),
    ),
    reference_page(
        "ref-1.2-common",
        "OpenCL 1.2 reference pages, text common to the address space qualifiers",
        None,
    ),
];

const fn reference_page(
    id: &'static str,
    title: &'static str,
    url: Option<&'static str>,
) -> Document {
    Document { id, title, url, sections_by_anchor: false, reference_page: true }
}

/// Returns the document that clauses call `id`.
pub fn find(id: &str) -> Option<&'static Document> {
    DOCUMENTS.iter().find(|document| document.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_the_section_where_they_can() {
        let link = |id: &str, anchor: &str| find(id).unwrap().link(anchor);
        let specification = "https://registry.khronos.org/OpenCL/specs/3.0-unified/html";
        assert_eq!(
            link("OpenCL_C", "addr-spaces-conversions").unwrap(),
            format!("{specification}/OpenCL_C.html#addr-spaces-conversions")
        );
        assert!(link("C99", "6.6").unwrap().ends_with("/n1256.pdf"));
        assert_eq!(link("ref-1.2-common", "top"), None);
    }

    #[test]
    fn ids_and_titles_are_unique() {
        for (index, one) in DOCUMENTS.iter().enumerate() {
            for other in &DOCUMENTS[index + 1..] {
                assert!(one.id != other.id && one.title != other.title, "{}", one.id);
            }
        }
    }
}
