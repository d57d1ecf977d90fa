//! Images and samplers: parameters, constant samplers, reads and writes.

use expectations::{dialect::Version, requirement::Requirement, space::AddressSpace};

use super::Builder;
use crate::random::{
    tree::{Declaration, Expression},
    types::{FLOAT, FLOAT4, INT, INT4, Kind, SAMPLER, Ty},
};

/// An image type with its access, and how many components a coordinate has.
struct Image {
    spelling: &'static str,
    coordinate: u8,
    is_read: bool,
    since: Version,
}

const fn image(spelling: &'static str, coordinate: u8, is_read: bool, since: Version) -> Image {
    Image { spelling, coordinate, is_read, since }
}

/// Writes of images of three dimensions are optional, and not among these.
const IMAGES: [Image; 7] = [
    image("read_only image2d_t", 2, true, Version::V1_0),
    image("write_only image2d_t", 2, false, Version::V1_0),
    image("read_only image3d_t", 4, true, Version::V1_0),
    image("read_only image1d_t", 1, true, Version::V1_2),
    image("write_only image1d_t", 1, false, Version::V1_2),
    image("read_only image2d_array_t", 4, true, Version::V1_2),
    image("write_only image2d_array_t", 4, false, Version::V1_2),
];

const SAMPLERS: [&str; 3] = [
    "CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST",
    "CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST",
    "CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR",
];

impl Builder<'_> {
    /// The type of a parameter: an image or a sampler.
    pub(super) fn image_type(&mut self) -> Ty {
        self.requirements.push(Requirement::Images);
        if self.choices.one_in(3) {
            return SAMPLER;
        }
        let version = self.dialect.version;
        let count = IMAGES.iter().filter(|image| image.since <= version).count() as u32;
        let spelling = IMAGES[self.choices.below(count) as usize].spelling;
        self.types.opaque(spelling)
    }

    /// A sampler at program scope.
    pub(super) fn sampler_item(&mut self) {
        let declaration = self.sampler('v', true);
        self.push_object(declaration, AddressSpace::Constant);
    }

    /// A constant sampler; `const` alone means the same.
    pub(super) fn sampler(&mut self, letter: char, is_file_scope: bool) -> Declaration {
        self.requirements.push(Requirement::Images);
        let is_spelled = self.choices.one_in(2);
        let name = if is_file_scope { self.file_name(letter) } else { self.local_name(letter) };
        let flags = Expression::Word(self.choices.pick(&SAMPLERS));
        Declaration {
            space: is_spelled.then_some(AddressSpace::Constant),
            is_const: !is_spelled,
            ..Declaration::plain(SAMPLER, name, Some(flags))
        }
    }

    fn image_in_reach(&mut self, is_read: bool) -> Option<(Expression, u8)> {
        let (found, spot) = self.place_where(|types, spot| {
            matches!(types.kind(spot.ty), Kind::Opaque(spelling)
                if IMAGES.iter().any(|image| image.spelling == spelling && image.is_read == is_read))
        })?;
        let Kind::Opaque(spelling) = self.types.kind(spot.ty) else { return None };
        let coordinate =
            IMAGES.iter().find(|image| image.spelling == spelling).map(|image| image.coordinate)?;
        Some((found, coordinate))
    }

    /// A coordinate of so many components.
    fn coordinate(&mut self, count: u8, element: Ty, fuel: u32) -> Expression {
        let parts: Vec<Expression> = (0..count)
            .map(|_| {
                let part = self.value(element, fuel);
                Expression::Cast(element, Box::new(part))
            })
            .collect();
        let ty = match count {
            1 => return parts.into_iter().next().unwrap_or(Expression::Number(0, "")),
            4 if element == FLOAT => FLOAT4,
            4 => INT4,
            _ if element == FLOAT => self.types.vector("float2", FLOAT, 2),
            _ => self.types.vector("int2", INT, 2),
        };
        Expression::VectorLiteral(ty, parts)
    }

    /// What an image in reach holds, as `ty`.
    pub(super) fn image_value(&mut self, ty: Ty, fuel: u32) -> Option<Expression> {
        let name = match ty {
            FLOAT4 => "read_imagef",
            INT4 => "read_imagei",
            _ => return None,
        };
        let (image, count) = self.image_in_reach(true)?;
        let sampler = self.place_where(|_, spot| spot.ty == SAMPLER);
        let Some((sampler, _)) = sampler else {
            if !self.since(Version::V1_2) {
                return None;
            }
            let coordinate = self.coordinate(count, INT, fuel);
            return Some(Expression::CallBuiltin(name, vec![image, coordinate]));
        };
        let element = self.choices.pick(&[INT, FLOAT]);
        let coordinate = self.coordinate(count, element, fuel);
        Some(Expression::CallBuiltin(name, vec![image, sampler, coordinate]))
    }

    /// A statement's call that writes to an image in reach.
    pub(super) fn image_write(&mut self, fuel: u32) -> Option<Expression> {
        let (image, count) = self.image_in_reach(false)?;
        let (name, ty) = self.choices.pick(&[("write_imagef", FLOAT4), ("write_imagei", INT4)]);
        let coordinate = self.coordinate(count, INT, fuel);
        let value = self.value(ty, fuel);
        Some(Expression::CallBuiltin(name, vec![image, coordinate, value]))
    }
}
