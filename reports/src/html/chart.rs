//! The trend of a device as a picture: SVG in the page, its colours left to the style sheet.

use plotters::{
    coord::Shift,
    prelude::{
        AreaSeries, ChartBuilder, Circle, DrawingArea, DrawingAreaErrorKind, IntoDrawingArea as _,
        IntoFont as _, LineSeries, PathElement, RGBColor, SVGBackend, Text,
    },
    style::{
        Color as _, TRANSPARENT, TextStyle,
        text_anchor::{HPos, Pos, VPos},
    },
};

use serde::Serialize;

use super::time_axis::TimeAxis;
use results::{
    history::{PastRun, Series},
    text::{one_line, plural},
};

/// The frame of a picture.
struct Frame {
    size: (u32, u32),
    /// Number of moments that there is room to name.
    ticks: u32,
    /// Free space at the left, for counts; `right` has space for half a moment.
    left: u32,
    right: u32,
}

const WIDE: Frame = Frame { size: (960, 300), ticks: 7, left: 84, right: 56 };
/// Frame as wide as the screen of a phone, so that letters have their size on one.
const NARROW: Frame = Frame { size: (360, 280), ticks: 3, left: 60, right: 44 };

/// The trend of a device, for screens of any width; the style sheet shows the one that fits.
#[derive(Serialize)]
pub(super) struct Trend {
    wide: String,
    narrow: String,
    /// Description for readers who do not see the picture.
    description: String,
}

/// Heights of the rows of driver names above the picture.
const LABEL_ROWS: [i32; 3] = [18, 36, 54];
const WIDTH_OF_A_LETTER: i32 = 9;

// The style sheet finds these by their value and gives them the colours of the theme.
const INK: RGBColor = RGBColor(1, 0, 1);
const GRID: RGBColor = RGBColor(1, 0, 2);
const DEVIATING: RGBColor = RGBColor(1, 0, 3);
const UNEXPECTED: RGBColor = RGBColor(1, 0, 4);
const MARK: RGBColor = RGBColor(1, 0, 5);

/// Number of drivers that are marked.
const LABELS: usize = 8;

/// Describes the picture.
fn description(series: &Series) -> String {
    let (Some(first), Some(last)) = (series.runs.first(), series.runs.last()) else {
        return "no run".to_owned();
    };
    format!(
        "{} of {}: {} cases deviated on {}, {} on {}",
        plural(series.runs.len(), "run"),
        series.name(),
        first.deviating(),
        first.day(),
        last.deviating(),
        last.day()
    )
}

/// Returns a chart of the deviating and unexpected cases over the runs, with a mark where the driver changed. There is
/// no chart of a single run.
pub(super) fn trend(series: &Series) -> Option<Trend> {
    (series.runs.len() > 1).then(|| Trend {
        wide: picture(series, &WIDE),
        narrow: picture(series, &NARROW),
        description: description(series),
    })
}

fn picture(series: &Series, frame: &Frame) -> String {
    let mut svg = String::new();
    let area = SVGBackend::with_string(&mut svg, frame.size).into_drawing_area();
    let drawn = draw(&area, series, frame).and_then(|()| area.present());
    drop(area);
    if drawn.is_ok() { svg } else { String::new() }
}

type Failure<'s> =
    DrawingAreaErrorKind<<SVGBackend<'s> as plotters::prelude::DrawingBackend>::ErrorType>;

fn draw<'s>(
    area: &DrawingArea<SVGBackend<'s>, Shift>,
    series: &Series,
    frame: &Frame,
) -> Result<(), Failure<'s>> {
    let axis = TimeAxis::of(&series.runs, frame.ticks);
    let at = |index: usize| axis.places[index];
    let points = |count: fn(&PastRun) -> usize| -> Vec<(f64, f64)> {
        let runs = series.runs.iter().enumerate();
        runs.map(|(index, run)| (at(index), count(run) as f64)).collect()
    };
    let deviating = points(PastRun::deviating);
    let unexpected = points(|run| run.unexpected);
    let most = series.runs.iter().map(|run| run.deviating().max(run.unexpected)).max();
    let most = most.unwrap_or_default().max(1);
    let highest = most as f64;
    let drivers = new_drivers(series);
    let rows = &LABEL_ROWS[..drivers.len().min(LABEL_ROWS.len())];
    let mut chart = ChartBuilder::on(area)
        .margin(8)
        .margin_top(rows.last().map_or(0, |height| *height) + 10)
        .margin_right(frame.right)
        .x_label_area_size(44)
        .y_label_area_size(frame.left)
        .build_cartesian_2d(axis.range(), 0.0..highest)?;
    let font = ("sans-serif", 14).into_font();
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .axis_style(GRID)
        .x_labels(0)
        .x_desc(axis.says)
        // More would repeat a count where there are few cases.
        .y_labels(most.min(5) + 1)
        .y_label_formatter(&|count| format!("{count:.0}"))
        .y_desc("cases")
        .axis_desc_style(font.clone().color(&INK))
        .label_style(font.color(&INK))
        .draw()?;
    let style = |color: &'static RGBColor, place: Pos| {
        TextStyle::from(("sans-serif", 14).into_font()).color(color).pos(place)
    };
    let below = style(&INK, Pos::new(HPos::Center, VPos::Top));
    for (place, label) in &axis.ticks {
        let (x, y) = chart.plotting_area().map_coordinate(&(*place, 0.0));
        area.draw(&PathElement::new(vec![(x, y), (x, y + 5)], GRID))?;
        area.draw(&Text::new(label.clone(), (x, y + 8), below.clone()))?;
    }
    let mut taken: Vec<(i32, i32)> = rows.iter().map(|&height| (height, i32::MIN)).collect();
    let end = area.get_pixel_range().0.end;
    for (index, driver) in drivers {
        let (x, top) = chart.plotting_area().map_coordinate(&(at(index), highest));
        let (_, bottom) = chart.plotting_area().map_coordinate(&(at(index), 0.0));
        area.draw(&PathElement::new(vec![(x, top), (x, bottom)], MARK))?;
        // On the side that has room, in the first row that is free; the table below names every driver.
        let width: i32 = driver.chars().map(|_| WIDTH_OF_A_LETTER).sum();
        let (left, side) = if x + width < end { (x, HPos::Left) } else { (x - width, HPos::Right) };
        let free = taken.iter_mut().find(|(_, end)| *end < left && left >= 0);
        let Some((height, taken)) = free else { continue };
        *taken = left + width;
        let y = top - *height;
        area.draw(&Text::new(driver, (x, y), style(&MARK, Pos::new(side, VPos::Top))))?;
    }
    chart.draw_series(
        AreaSeries::new(deviating.iter().copied(), 0.0, DEVIATING.mix(0.18))
            .border_style(DEVIATING.stroke_width(2)),
    )?;
    chart.draw_series(deviating.iter().map(|&at| Circle::new(at, 3, DEVIATING.filled())))?;
    chart.draw_series(LineSeries::new(unexpected.iter().copied(), UNEXPECTED.stroke_width(2)))?;
    chart.draw_series(unexpected.iter().map(|&at| Circle::new(at, 3, UNEXPECTED.filled())))?;
    Ok(())
}

/// Returns the first run with each driver, with the version that the driver reports.
fn new_drivers(series: &Series) -> Vec<(usize, String)> {
    let pairs = series.runs.windows(2).zip(1..);
    let new = pairs.filter(|(pair, _)| pair[0].driver != pair[1].driver);
    new.map(|(pair, index)| (index, one_line(&pair[1].driver, 30))).take(LABELS).collect()
}
